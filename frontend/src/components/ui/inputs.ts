/** How every text field looks. */
export const INPUT = "rounded-control border border-line bg-surface px-2.5 text-sm aria-invalid:border-bad";
