import { expect, it } from "vitest";
import { hostOf } from "./system";

it.each([
  ["https://example.org/a?b#c", "example.org"],
  ["http://example.org:8080/", "example.org:8080"],
  ["https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"],
  ["https://аррӏе.com/", "xn--80ak6aa92e.com"],
  ["https://bank.example.com@evil.example.com/", null],
  ["https://practice.outrider.example/in/ada", null],
  ["javascript:alert(1)", null],
  ["file:///etc/passwd", null],
  ["//example.org", null],
  ["example.org", null],
  ["", null],
])("the host of %s is %s", (address, host) => {
  expect(hostOf(address)).toBe(host);
});
