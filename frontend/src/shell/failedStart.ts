/** What a failed start is offered besides quitting. */
export interface Helps {
  /** To try again, when what kept it may be gone meanwhile. */
  again: boolean;
  /** To look at the files, when it is about them. */
  folder: boolean;
}

/** Only another Outrider helps. */
const IN_VAIN = new Set(["database_newer", "log_newer", "page_missing"]);
const OF_FILES = /^((database|backup|heads|sealed_file)_|on_network_drive$)/;

export function helpsOf(code: string): Helps {
  return { again: !IN_VAIN.has(code), folder: OF_FILES.test(code) };
}
