import type { CampaignView, RunState } from "../api/generated";
import { formatDuration } from "../format/duration";
import { plural } from "../format/numbers";
import { describeUntil, mayChange } from "../format/until";
import { isSentByHand, linkTo } from "../navigation/route";
import { wasInterrupted } from "./runControls";
import type { UtcOffsets } from "../format/localTime";

export interface RunStatus {
  tone: "good" | "warn" | "bad" | "accent" | "plain";
  title: string;
  detail: string;
  /** Where what is needed is done. */
  go?: { label: string; link: string };
  /** It says no more than Today shows anyway: what waits for the user, what stopped the account, or that they were away. */
  repeats?: true;
  /** What a press of the button does: the campaign goes on, after what was wrong is in order. */
  again?: string;
  /** The same where a rehearsal waits for its reader. */
  goOn?: string;
}

type Seen = Pick<
  CampaignView,
  "id" | "site" | "status" | "status_reason" | "state" | "archived" | "present" | "position" | "needs" | "incidents" | "utc_offsets"
>;

const AWAY: RunStatus = {
  tone: "warn",
  title: "You are away",
  detail: "Nothing is read or sent until you use this window again.",
};

/** Why a campaign acts or does not act, in one line; `now` is the time on its clock, `shared` whether other devices may run it. */
export function runStatus(view: Seen, run: RunState, now: number, shared = false): RunStatus {
  if (view.incidents.length > 0)
    return {
      tone: "bad",
      title: "Stopped",
      detail: "Nothing runs until you have checked the site and cleared it.",
      repeats: true,
    };
  if (view.archived && run.phase === "idle") return { tone: "plain", title: "Archived", detail: view.state.remedy, repeats: true };
  if (view.status === "error") return { tone: "bad", title: "Stopped", detail: view.status_reason };
  if (view.status === "completed")
    return { tone: "good", title: "Done", detail: "Nothing more goes to anyone in this campaign." };
  if (run.phase !== "idle") return running(view, run, now);
  if (run.error) {
    const rests = RESTS[run.error.code];
    const fault = FAULTS[run.error.code];
    const link = fault?.link?.replace("{id}", view.id);
    return {
      tone: rests ? "warn" : "bad",
      title: rests ?? fault?.title ?? "The campaign stopped with an error",
      detail: fault?.says ?? `${run.error.sentence} ${run.error.remedy}`,
      ...(fault && link !== undefined ? { go: { label: fault.action, link } } : {}),
      ...(fault && link === undefined ? { again: fault.action } : {}),
    };
  }
  const go = waiting(view)?.go;
  return { ...resting(view, run, now, shared), ...(go ? { go } : {}) };
}

/**
 * What went wrong as people say it, with the button that mends it: it goes on, or it leads to where it can be mended. `says` is
 * what is left to say beside title and button, where the error itself says no more than these.
 */
const FAULTS: Record<string, { title: string; action: string; link?: string; says?: string }> = {
  browser_closed: { title: "The browser was closed", action: "Reopen the browser", says: "Nothing is sent twice." },
  browser_failed: { title: "The browser does not start", action: "Try again" },
  browser_profile_in_use: { title: "The browser does not start", action: "Try again" },
  account_in_use: { title: "Another data folder uses this account", action: "Try again" },
  account_lock_failed: { title: "Other data folders cannot be seen", action: "Try again" },
  display_missing: { title: "There is no display", action: "Try again" },
  browser_missing: { title: "No browser was found", action: "Browser settings", link: "#/settings/browser" },
  browser_unusable: { title: "The chosen browser cannot be used", action: "Browser settings", link: "#/settings/browser" },
  node_missing: { title: "Node.js is missing", action: "Try again" },
  practice_gone: { title: "The practice network stopped", action: "Start it again", says: "It remembers everything it received." },
  practice_failed: { title: "The practice network does not start", action: "Try again" },
  site_unreachable: { title: "The site does not answer", action: "Try again" },
  proposer_unavailable: { title: "The model is not responding", action: "Ask again" },
  proposer_timeout: { title: "The model is not responding", action: "Ask again" },
  proposer_unreachable: { title: "The model cannot be reached", action: "Ask again" },
  proposer_rate_limited: { title: "The model is busy", action: "Ask again" },
  proposer_unauthorised: { title: "The model refused the key", action: "Models", link: "#/settings/models" },
  proposer_forbidden: { title: "The model may not be used", action: "Choose another model", link: "#/campaigns/{id}/setup" },
  proposer_certificate: { title: "The model's server cannot be trusted", action: "Ask again" },
  proxy_unusable: { title: "The proxy cannot be used", action: "Ask again" },
  proxy_failed: { title: "The proxy stands in between", action: "Ask again" },
  certificates_unusable: { title: "The certificates cannot be read", action: "Ask again" },
  proposer_web_page: { title: "The model cannot be reached", action: "Ask again" },
  proposer_unpaid: { title: "The model asks for payment", action: "Ask again" },
  proposer_key_missing: { title: "The model's key is missing", action: "Keys", link: "#/settings/keys" },
  key_malformed: { title: "The model's key cannot be sent", action: "Models", link: "#/settings/models" },
  proposer_not_installed: { title: "The model's library is missing", action: "Choose another model", link: "#/campaigns/{id}/setup" },
  model_unknown: { title: "The model is no longer connected", action: "Choose a model", link: "#/campaigns/{id}/setup" },
  model_budget_spent: { title: "The model's budget is spent", action: "Change the budget", link: "#/campaigns/{id}/setup" },
};

/** Why a run may not begin although nothing is wrong with it, by the error's code. */
const RESTS: Record<string, string> = {
  lease_held_elsewhere: "Another device has this account open",
  shared_store_unreachable: "The shared store does not answer",
  signed_out: "Signed out of the shared store",
};

function running(view: Seen, run: RunState, now: number): RunStatus {
  if (run.phase === "starting")
    return {
      tone: "accent",
      title: run.once ? "One step…" : "Starting…",
      detail: "Opening the browser and checking the site first.",
    };
  if (run.phase === "stopping")
    return { tone: "warn", title: "Stopping…", detail: "The current action is finished first." };
  if (run.nothing_eligible === null)
    return {
      tone: "accent",
      title: run.once ? "One step…" : "Working",
      detail: view.position.task || "Checking the site before the first step.",
    };
  if (!view.present) return run.away_since === null ? AWAY : { ...AWAY, repeats: true };
  const { until, held_reasons: reasons, model_silent_since: silent, for_user, new_replies: replies } = run.nothing_eligible;
  if (silent !== null)
    return {
      tone: "warn",
      title: "The model is not responding",
      detail: `${reasons.join(" ")} For ${formatDuration(Math.max(0, now - silent))} now; next try ${describeUntil(until, now)}.`,
    };
  const you = waiting(view);
  if (replies > 0)
    return {
      tone: "accent",
      title: "The practice clock waits for you",
      detail: `${replies === 1 ? "There is a reply" : `There are ${replies} replies`} to read. Answer or label ${replies === 1 ? "it" : "them"}, or continue${until === null ? "" : `: the next task is due ${describeUntil(until, now)}`}.`,
      go: { label: "Open the inbox", link: linkTo(view.id, "inbox") },
      goOn: "Continue",
    };
  if (for_user && reasons.length === 1)
    return {
      tone: "warn",
      title: "Waiting for you",
      detail: [...reasons, you?.detail].filter(Boolean).join(" "),
      repeats: true,
      go: { label: "Open Send", link: linkTo(view.id, "send") },
    };
  if (reasons.length > 0)
    return {
      tone: "warn",
      title: "Waiting",
      detail: [...reasons, when(until, now, view.utc_offsets)].join(" "),
      ...(you?.go ? { go: you.go } : {}),
    };
  if (you) return you;
  if (until === null) return { tone: "warn", title: "Waiting for you", detail: "Nothing continues without you." };
  return { tone: "plain", title: "Waiting", detail: `The next task is due ${describeUntil(until, now)}.` };
}

function resting(view: Seen, run: RunState, now: number, shared: boolean): RunStatus {
  const after = AFTER[run.halt ?? ""];
  if (view.status === "initializing")
    return {
      tone: "plain",
      title: "Not started",
      detail: `${isSentByHand(view.site) ? "" : "Start checks the site first. "}Nothing is sent until you approve its words.`,
    };
  if (view.status === "active" && run.halt === "handed_over") {
    return {
      tone: "plain",
      title: "Handed over",
      detail: `${run.because.join(" ")} What that device does appears here; Continue asks for it back.`,
    };
  }
  const reason = view.status === "active" ? sentence(view.status_reason) : "";
  if (view.status === "active" && !reason && shared) {
    return {
      tone: "warn",
      title: "Not running here",
      detail:
        "Another of your devices may be running it, or it was interrupted. Continue checks which, settles what was under way and carries on; nothing is done twice.",
    };
  }
  if (wasInterrupted(view, run, shared)) {
    return {
      tone: "warn",
      title: "Interrupted",
      detail: "Outrider closed while the campaign was running. Continue settles what was under way and carries on; nothing is done twice.",
    };
  }
  if (after)
    return {
      tone: "warn",
      title: after,
      detail:
        [...run.because, run.until === null ? "" : `The next task is due ${describeUntil(run.until, now)}.`]
          .join(" ")
          .trim() ||
        (waiting(view)?.detail ?? ""),
    };
  return {
    tone: "warn",
    title: reason ? "Waiting for you" : "Paused",
    detail: [sentence(view.status_reason), waiting(view)?.detail ?? ""].filter(Boolean).join(" "),
  };
}

const AFTER: Record<string, string> = {
  stepped: "One step was made",
  not_yet: "Waiting",
  needs_approval: "Waiting for you",
  needs_you: "Waiting for you",
  held: "Waiting",
};

/** What waits for the user; null if nothing does. */
function waiting(view: Seen): RunStatus | null {
  const { approve = 0, answer = 0 } = view.needs;
  const drafts = approve === 0 ? "" : `${plural(approve, "draft waits", "drafts wait")} for your approval.`;
  const questions = answer === 0 ? "" : `${plural(answer, "question waits", "questions wait")} for your answer.`;
  if (!drafts && !questions) return null;
  const detail = [questions, drafts].filter(Boolean).join(" ");
  return {
    tone: "warn",
    title: "Waiting for you",
    detail,
    repeats: true,
    ...(drafts ? { go: { label: "Review", link: linkTo(view.id, "review") } } : {}),
  };
}

const when = (until: number | null, now: number, offsets: UtcOffsets): string => (until === null ? "" : `${mayChange(until, now, offsets)}.`);
const sentence = (text: string): string => (text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
