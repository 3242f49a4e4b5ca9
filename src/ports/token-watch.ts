/** Whether access tokens are still valid, for connections and links that they opened. */
export interface TokenWatch {
  /** False once the token, or one that it was made from, is revoked or expired. */
  isValid(tokenId: string): Promise<boolean>;
  /** Calls `onEnd` at most once, within 5 s after the token ends. Returns the function that stops watching. */
  watch(tokenId: string, onEnd: () => void): () => void;
}
