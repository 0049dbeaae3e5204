import { expect, test } from "vitest";
import { choosing } from "./choosing";

test("a field shows what holds, whether what was chosen in it could be done or not", async () => {
  const field = { value: "utf-8" } as HTMLSelectElement;
  let holds = "cp1250";
  await choosing({ currentTarget: field }, () => Promise.resolve(false), () => holds);
  expect(field.value).toBe("cp1250");
  field.value = "utf-16";
  await choosing({ currentTarget: field }, (value) => Promise.resolve((holds = value)), () => holds);
  expect(field.value).toBe("utf-16");
});
