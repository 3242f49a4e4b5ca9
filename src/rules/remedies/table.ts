/** What to change, by catalogue code. The first sentence stands alone. */
export type Remedies = Readonly<Record<number, string>>;
