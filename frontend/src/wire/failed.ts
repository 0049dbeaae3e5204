import type { ErrorShape } from "./generated";

/** A request or a native call that failed, with its stable code, what happened and what to do. */
export class RequestFailed extends Error {
  constructor(
    readonly shape: ErrorShape,
    readonly status: number,
  ) {
    super(shape.sentence);
  }
}

export function isError(answer: unknown): answer is ErrorShape {
  return typeof answer === "object" && answer !== null && "code" in answer && "sentence" in answer && "remedy" in answer;
}
