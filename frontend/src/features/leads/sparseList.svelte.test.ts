import { expect, it } from "vitest";
import { SparseList } from "./sparseList.svelte";
import type { SparsePage } from "./sparseList.svelte";

interface Row {
  id: string;
  status: string;
}

it("keeps the updates made while a load was under way, whose answer may be older", async () => {
  const answers: ((page: SparsePage<Row>) => void)[] = [];
  const list = new SparseList<Row>(() => new Promise((resolve) => answers.push(resolve)));
  const page = { rows: [{ id: "a", status: "pending" }], next: null, total: 1, more: false };

  const first = list.load();
  answers.shift()?.(page);
  await first;
  expect(list.at(0)?.status).toBe("pending");

  const second = list.load();
  list.update((row) => ({ ...row, status: "contacted" }));
  expect(list.at(0)?.status).toBe("contacted");
  answers.shift()?.(page);
  await second;
  expect(list.at(0)?.status).toBe("contacted");

  const third = list.load();
  answers.shift()?.({ ...page, rows: [{ id: "a", status: "responded" }] });
  await third;
  expect(list.at(0)?.status).toBe("responded");
});
