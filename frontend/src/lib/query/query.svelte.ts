import { untrack } from "svelte";
import { errorShapeOf } from "../api/errors";
import { toasts } from "../app/toasts.svelte";
import { followStream } from "../live/follow";
import { Refreshable } from "./refreshable.svelte";

/** One thing that is read from the server as a whole: what was read last, and the error of the last reading. */
export class Query<View> extends Refreshable {
  view = $state.raw<View | null>(null);
  /** Whether an answer is awaited. */
  loading = $state(false);
  /** Whether a command is under way that changes it. */
  busy = $state(false);
  private latest = 0;

  constructor(
    private read: () => Promise<View>,
    gap?: number,
  ) {
    super(gap);
  }

  /** Only the answer to the latest reading counts. */
  override async load(): Promise<void> {
    const requestNumber = ++this.latest;
    this.loading = true;
    try {
      const view = await this.read();
      if (requestNumber !== this.latest) return;
      this.view = this.received(view);
      this.error = null;
    } catch (thrown) {
      const error = errorShapeOf(thrown);
      if (requestNumber === this.latest) this.error = error;
    } finally {
      if (requestNumber === this.latest) this.loading = false;
    }
  }

  /** Read something else from now on. */
  ask(read: () => Promise<View>): Promise<void> {
    this.read = read;
    return this.load();
  }

  /** What it is now is known from elsewhere; null: nothing is to be shown. An answer that is awaited does not count. */
  set(view: View | null): void {
    this.latest += 1;
    this.loading = false;
    this.view = view;
    this.error = null;
  }

  /** Change it by a command that answers how it is now; a failure is shown as a toast. Whether it worked. */
  change(command: () => Promise<View>): Promise<boolean> {
    return this.during(() => toasts.attempt(async () => this.set(await command())));
  }

  /** Be busy while something is under way. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.busy = true;
    try {
      return await work();
    } finally {
      this.busy = false;
    }
  }

  /** What is to be shown of an answer. */
  protected received(view: View): View {
    return view;
  }
}

/**
 * What a component shows of the server: read when the component is set up, and anew when the value of `key` (everything that
 * `read` asks by) is another one, and after a failure when everything is read again. To be called while the component is set up.
 */
export function useQuery<View>(key: () => readonly unknown[], read: () => Promise<View>): Query<View> {
  const query = new Query(read);
  // As text, because properties are told to have changed whenever their parent was read again, also when they are equal.
  const current = $derived(JSON.stringify(key()));
  $effect(() => {
    void current;
    untrack(() => {
      query.set(null);
      void query.load();
    });
  });
  $effect(() => followStream(null, { event: () => undefined, reload: () => query.error !== null && query.refresh() }));
  return query;
}
