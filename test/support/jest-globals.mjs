/** What tests import from `@jest/globals`, in `native-runtime.cjs`. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
