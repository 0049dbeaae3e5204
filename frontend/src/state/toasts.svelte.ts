import { RequestFailed } from "../wire/client";
import type { ErrorShape } from "../wire/generated";

export interface Toast extends ErrorShape {
  id: number;
}

const STAYS = 12_000;
const MOST = 4;

class Toasts {
  list = $state<Toast[]>([]);
  private next = 1;

  show(shape: ErrorShape): void {
    const toast = { ...shape, id: this.next++ };
    this.list = [...this.list.filter((other) => other.code !== shape.code), toast].slice(-MOST);
    setTimeout(() => this.dismiss(toast.id), STAYS);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** Do something that may fail, and show the failure; whether it worked. */
  async attempt(what: () => Promise<unknown>): Promise<boolean> {
    try {
      await what();
      return true;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.show(error.shape);
      return false;
    }
  }
}

export const toasts = new Toasts();
