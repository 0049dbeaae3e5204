import { onSuccess, requestOf } from "../api/client";
import { failureOf } from "../api/errors";
import type { ErrorShape } from "../api/generated";
import { linkTo } from "../navigation/route";

/** A few words that go away by themselves: a failure, or something done, perhaps with a way to undo it. */
export interface Toast {
  id: number;
  tone: "bad" | "plain";
  sentence: string;
  remedy: string;
  code: string;
  action?: { label: string; run: () => void };
  /** The address of the screen that shows it anyway. */
  link?: string;
  /** The request that failed. */
  request?: string | undefined;
}

const STAYS = { bad: 12_000, plain: 7_000 };
const MOST = 4;

class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  private next = 1;
  private held = false;
  private readonly due = new Set<number>();

  /** What failed and worked since is no failure any more. */
  constructor() {
    onSuccess((request) => {
      if (this.list.some((toast) => toast.request === request)) this.list = this.list.filter((toast) => toast.request !== request);
    });
  }

  /** A failure, perhaps with what can be done about it; the same one twice is shown once. */
  error(shape: ErrorShape, action?: Toast["action"]): void {
    this.list = this.list.filter((other) => other.code !== shape.code);
    this.add({ tone: "bad", ...shape, request: requestOf(shape), ...(action ? { action } : {}) });
  }

  /** Something happened or was done; `action` such as `{ label: "Undo", run }`. The toast's id. */
  info(sentence: string, action?: Toast["action"], link?: string): number {
    this.list = this.list.filter((other) => other.tone === "bad" || other.sentence !== sentence);
    return this.add({ tone: "plain", sentence, remedy: "", code: "", ...(action ? { action } : {}), ...(link ? { link } : {}) });
  }

  /** The user looks at this screen: what it shows need not be said any more. */
  seen(link: string): void {
    this.list = this.list.filter((toast) => toast.link !== link);
  }

  /** The campaign of which these screens were is gone: nothing leads there. */
  gone(campaign: string): void {
    const screens = linkTo(campaign, "today").replace(/today$/, "");
    this.list = this.list.filter((toast) => !toast.link?.startsWith(screens));
  }

  /** What failed for this reason is under way in another way. */
  settled(code: string): void {
    this.list = this.list.filter((toast) => toast.code !== code);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** While the pointer or the keyboard is on them none goes away: whoever reads one, or reaches for its button, is not hurried. */
  hold(held: boolean): void {
    this.held = held;
    if (held) return;
    for (const id of this.due) this.dismiss(id);
    this.due.clear();
  }

  /** Do something that may fail, and show the failure, with an action by its code; whether it worked. */
  async attempt(what: () => Promise<unknown>, actions: Record<string, Toast["action"]> = {}): Promise<boolean> {
    const error = await failureOf(what);
    if (error !== null) this.error(error, actions[error.code]);
    return error === null;
  }

  private add(toast: Omit<Toast, "id">): number {
    const id = this.next++;
    this.list = [...this.list, { ...toast, id }].slice(-MOST);
    setTimeout(() => (this.held ? this.due.add(id) : this.dismiss(id)), STAYS[toast.tone]);
    return id;
  }
}

export const toasts = new Toasts();
