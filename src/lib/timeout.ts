/** A wait that has an end. */

/**
 * What `asked` comes to, or what `late` says when that takes longer. `asked` goes on; what becomes of it then is not heard.
 * No timer is left behind.
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
