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
  return (
    typeof answer === "object" && answer !== null && "code" in answer && "sentence" in answer && "remedy" in answer
  );
}

/** What to show of something that was thrown. Only a failed request can be shown; a defect is thrown on. */
export function errorShapeOf(thrown: unknown): ErrorShape {
  if (!(thrown instanceof RequestFailed)) throw thrown;
  return thrown.shape;
}

/** Do something that may fail; its error, or null when it worked. */
export async function failureOf(work: () => Promise<unknown>): Promise<ErrorShape | null> {
  try {
    await work();
    return null;
  } catch (thrown) {
    return errorShapeOf(thrown);
  }
}
