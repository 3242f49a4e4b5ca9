import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Api, type Credentials } from './api.js';

interface SignInProps {
  readonly notice: string;
  readonly onSignIn: (given: Credentials) => void;
}

/** A server that wants a proof with each token says so at the first try; only then is it asked for. */
export function SignIn({ notice, onSignIn }: SignInProps): JSX.Element {
  const [token, setToken] = useState('');
  const [proof, setProof] = useState<string>();
  const [fault, setFault] = useState('');
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = proof ? { token: token.trim(), proof: proof.trim() } : { token: token.trim() };
    if (given.token === '') return;
    if (!(await new Api(given).refusesProof())) return onSignIn(given);
    setFault(
      proof ? 'The proof is not the one of this token.' : 'This server takes tokens only with an app secret proof.',
    );
    setProof(proof ?? '');
  };
  const words = fault === '' ? notice : fault;
  return (
    <main class="sign-in">
      <form class="card" onSubmit={onSubmit}>
        <h1>Airlock</h1>
        <p>Sign in with an access token to see your broadcasts and what they break.</p>
        {words === '' ? null : (
          <p class="callout callout-fail" role="alert">
            {words}
          </p>
        )}
        <label for="token">Access token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        {proof === undefined ? null : (
          <>
            <label for="proof">App secret proof</label>
            <input
              id="proof"
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              value={proof}
              onInput={(event) => setProof(event.currentTarget.value)}
            />
            <p>
              The HMAC-SHA256 of the token under the app secret, which only the operator has:{' '}
              <code>printf %s TOKEN | openssl dgst -sha256 -hmac APP_SECRET</code>
            </p>
          </>
        )}
        <button type="submit" class="button button-main">
          Sign in
        </button>
        <details>
          <summary>Where do I get one?</summary>
          <p>
            On the server: <code>airlock token issue --owner ID</code>. With quickstart, it stands as{' '}
            <code>access_token</code> in <code>quickstart.json</code> in the data folder.
          </p>
          <p>The token is kept in this tab only, and forgotten when the tab is closed.</p>
        </details>
      </form>
    </main>
  );
}
