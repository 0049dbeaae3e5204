import { leadsContactAgain, samePersonAnswer, samePersonTakeBack } from "../../lib/api/calls";
import type { AnswersGiven, SamePersonAnswer } from "../../lib/api/generated";
import { plural } from "../../lib/format/numbers";
import { toasts } from "../../lib/app/toasts.svelte";
import { answeredWords } from "./samePerson";

/** Answers whether people are the same, with a way to undo it; `changed` is called after each. */
export class Answering {
  busy = $state(false);

  constructor(private readonly changed: () => unknown) {}

  async give(answers: SamePersonAnswer[]): Promise<void> {
    await this.during(async () => {
      const done = await samePersonAnswer({ answers });
      if (done.error !== null) toasts.error(done.error);
      toasts.info(answeredWords(answers, done), { label: "Undo", run: () => void this.undo(done) });
    });
  }

  private async undo({ answers, forbidden }: AnswersGiven): Promise<void> {
    await this.takeBack(answers);
    const leads = Object.entries(forbidden);
    if (leads.length > 0) await this.during(() => Promise.all(leads.map(([lead, campaign]) => leadsContactAgain(campaign, lead))));
  }

  async takeBack(answers: string[]): Promise<void> {
    if (answers.length === 0) return;
    await this.during(async () => {
      const done = await samePersonTakeBack({ answers });
      const waiting = done.messages_waiting > 0 ? ` ${plural(done.messages_waiting, "approved message waits", "approved messages wait")} in Review again.` : "";
      toasts.info(`Taken back. The question is open again.${waiting} What was sent stays sent.`);
    });
  }

  private async during(what: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    await toasts.attempt(what);
    this.busy = false;
    await this.changed();
  }
}
