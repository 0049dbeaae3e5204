import { expect, it } from "vitest";
import { Windows } from "./windows.svelte";
import type { WindowOf } from "./windows.svelte";

interface Row {
  id: string;
  status: string;
}

it("keeps what was heard while a load was under way, whose answer may be older", async () => {
  const answers: ((page: WindowOf<Row>) => void)[] = [];
  const list = new Windows<Row>(() => new Promise((resolve) => answers.push(resolve)));
  const page = { rows: [{ id: "a", status: "pending" }], next: null, total: 1, more: false };

  const first = list.again();
  answers.shift()?.(page);
  await first;
  expect(list.at(0)?.status).toBe("pending");

  const second = list.again();
  list.change((row) => ({ ...row, status: "contacted" }));
  expect(list.at(0)?.status).toBe("contacted");
  answers.shift()?.(page);
  await second;
  expect(list.at(0)?.status).toBe("contacted");

  const third = list.again();
  answers.shift()?.({ ...page, rows: [{ id: "a", status: "responded" }] });
  await third;
  expect(list.at(0)?.status).toBe("responded");
});
