/**
 * Resolves as `asked` does, or with the result of `late` after `withinMs`. `asked` is not canceled: its later result or
 * rejection is ignored. The timer is always cleared.
 */
export async function withTimeout<Answer, Late>(
  asked: Promise<Answer>,
  withinMs: number,
  late: () => Late,
): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  try {
    return await Promise.race([asked, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
