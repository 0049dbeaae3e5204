import { expect, it } from "vitest";

import { inserted } from "./inserted";

it("puts a variable where the cursor was, or at the end", () => {
  expect(inserted("Hi , hello", "{first_name}", 3, 3)).toEqual({ text: "Hi {first_name}, hello", at: 15 });
  expect(inserted("Hi NAME!", "{first_name}", 3, 7)).toEqual({ text: "Hi {first_name}!", at: 15 });
  expect(inserted("Hi ", "{first_name}", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).text).toBe("Hi {first_name}");
});
