import { scoringPreview, scoringProposed } from "../api/calls";
import type { BlueprintPreview, Criterion } from "../api/generated";
import { Query } from "../query/query.svelte";

const TYPING_PAUSE = 200;

/** What a scoring blueprint would do to the ranking, asked again after each change. */
export class BlueprintPreviewQuery {
  private readonly query = new Query<BlueprintPreview>(() => Promise.reject(new Error("nothing is asked for yet")));
  private typing = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly campaign: string) {}

  get result(): BlueprintPreview | null {
    return this.query.view;
  }

  get error() {
    return this.query.error;
  }

  /** Whether what is shown is not the answer to the latest question yet. */
  get outdated(): boolean {
    return this.typing || this.query.loading;
  }

  /** The blueprint that an open question proposes. */
  showProposed(question: string): void {
    void this.query.ask(() => scoringProposed(this.campaign, question));
  }

  /** Criteria that are being written; asked when they have not changed for a moment. */
  showCriteria(criteria: Criterion[]): void {
    clearTimeout(this.timer);
    this.typing = true;
    this.timer = setTimeout(() => {
      this.typing = false;
      void this.query.ask(() => scoringPreview(this.campaign, { criteria }));
    }, TYPING_PAUSE);
  }

  /** Nothing can be asked now. */
  clear(): void {
    clearTimeout(this.timer);
    this.typing = false;
    this.query.set(null);
  }
}
