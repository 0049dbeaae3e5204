import { expect, it } from "vitest";
import { readable } from "./webAddress";

it.each([
  ["https://www.linkedin.com/in/j%C3%BCrgen-gr%C3%B6%C3%9Fe-8", "https://www.linkedin.com/in/jürgen-größe-8"],
  ["https://www.linkedin.com/in/ann%2F..%20lee", "https://www.linkedin.com/in/ann%2F..%20lee"],
  ["https://www.linkedin.com/in/ann%E2%80%AEeel", "https://www.linkedin.com/in/ann%E2%80%AEeel"],
  ["https://www.linkedin.com/in/ann%E3%85%A4", "https://www.linkedin.com/in/ann%E3%85%A4"],
  ["https://www.linkedin.com/in/ann%C3", "https://www.linkedin.com/in/ann%C3"],
])("%s reads %s", (address, shown) => expect(readable(address)).toBe(shown));
