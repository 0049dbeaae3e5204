import { syncAnswerMail, syncAskMail, syncCheck, syncSignIn } from "../../../lib/api/calls";
import { errorShapeOf } from "../../../lib/api/errors";
import type { ErrorShape, ProjectCheck, ProjectView, SignedIn } from "../../../lib/api/generated";
import { aboutField, addressOf, wrongAddress, wrongFields, wrongKey } from "./project";

const PAUSE = 700;
/** Refusals after which the account is there, made before or just now. */
const THERE_IS_ONE: readonly string[] = ["sign_in_known", "sign_up_unfinished"];

/** A project about to be attached. It outlives its screen, so that looking something up elsewhere loses nothing; no password is in it. */
class ProjectForm {
  url = $state("");
  key = $state("");
  email = $state("");
  method = $state<"password" | "mail">("password");
  fresh = $state(false);
  /** A mail is on its way: to sign in with, or to confirm a new account. */
  mailed = $state<"" | "sign-in" | "account">("");
  check = $state.raw<ProjectCheck | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  busy = $state(false);
  private checked = $state("");
  private asking = $state("");
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly project = $derived({ url: addressOf(this.url), public_key: this.key.trim() });
  private readonly named = $derived(`${this.project.url}\n${this.project.public_key}`);
  private readonly complete = $derived(
    this.project.url !== "" &&
      this.project.public_key !== "" &&
      wrongAddress(this.url) === "" &&
      wrongKey(this.key) === "",
  );
  /** Whether the project that is named now is being looked at. */
  readonly checking = $derived(this.asking !== "" && this.asking === this.named);
  /** What was found of it. */
  readonly currentCheck = $derived(this.checked === this.named ? this.check : null);
  readonly ready = $derived(this.currentCheck?.ok === true);
  /** What is wrong, said beside each field. */
  readonly wrong = $derived(wrongFields({ url: this.url, key: this.key }, this.currentCheck?.lines ?? [], this.error));
  /** A failure that no field is to blame for. */
  readonly unplaced = $derived(aboutField(this.error?.code) === null ? this.error : null);

  /** Check the project when typing has paused, `now` at once; nothing while something is missing or known to be wrong. */
  async look(now = false): Promise<void> {
    clearTimeout(this.timer);
    if (!this.complete || this.checking || this.currentCheck !== null) return;
    if (!now) {
      this.timer = setTimeout(() => void this.look(true), PAUSE);
      return;
    }
    await this.again();
  }

  async again(): Promise<void> {
    if (!this.complete) return;
    const named = this.named;
    this.asking = named;
    this.error = null;
    const check = await this.tried(
      () => syncCheck(this.project),
      () => named === this.asking,
    );
    if (named !== this.asking) return; // another one was asked about meanwhile
    this.asking = "";
    this.check = check;
    this.checked = check === null ? "" : named;
  }

  /** Sign in with a password; the project as it is then, null when a mail is to be answered first or it did not work. */
  signIn(password: string): Promise<ProjectView | null> {
    return this.enter(
      () => syncSignIn({ ...this.project, email: this.email.trim(), password, fresh: this.fresh }),
      "account",
    );
  }

  askMail(): Promise<ProjectView | null> {
    return this.enter(() => syncAskMail({ ...this.project, email: this.email.trim() }), "sign-in");
  }

  /** With the mail's link, or its code. */
  answerMail(code: string): Promise<ProjectView | null> {
    return this.enter(
      () => syncAnswerMail({ ...this.project, email: this.email.trim(), code: code.trim() }),
      "sign-in",
    );
  }

  /** Take over what is known of a project that was signed out of. */
  resume(view: ProjectView): void {
    Object.assign(this, { url: view.url, key: view.public_key, email: this.email || view.email });
  }

  private async enter(ask: () => Promise<SignedIn>, mail: "sign-in" | "account"): Promise<ProjectView | null> {
    this.busy = true;
    this.error = null;
    const signed = await this.tried(ask);
    this.busy = false;
    if (signed === null) return null;
    this.mailed = signed.outcome === "confirm_mail" ? mail : "";
    if (this.mailed === "account") this.fresh = false;
    return signed.outcome === "attached" ? signed.project : null;
  }

  /** The answer, or null and why there is none, if that is `still` of interest. */
  private async tried<Answer>(ask: () => Promise<Answer>, still = () => true): Promise<Answer | null> {
    try {
      return await ask();
    } catch (thrown) {
      const error = errorShapeOf(thrown);
      if (still()) this.error = error;
      if (THERE_IS_ONE.includes(error.code)) this.fresh = false; // "Sign in to it instead"
      return null;
    }
  }
}

export const projectForm = new ProjectForm();
