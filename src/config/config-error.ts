/** One invalid setting and the source of its value. */
export interface ConfigIssue {
  /** `AIRLOCK_RTMPS_PORT`, `--rtmps-port`, or `"rtmpsPort" in airlock.json`. */
  readonly source: string;
  readonly problem: string;
}

/** All invalid settings. The message is shown to the operator and never contains the value of a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'BAD_CONFIG';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map((issue) => `  ${issue.source} ${issue.problem}`);
    super(`${issues.length === 1 ? 'Invalid setting' : `${issues.length} invalid settings`}:\n${lines.join('\n')}`);
    this.issues = issues;
  }
}
