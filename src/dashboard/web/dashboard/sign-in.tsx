import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Api, type Credentials } from './api.js';

interface SignInProps {
  readonly notice: string;
  readonly onSignIn: (entered: Credentials) => void;
}

/** The app secret proof is requested only after the server has rejected the token without one. */
export function SignIn({ notice, onSignIn }: SignInProps): JSX.Element {
  const [token, setToken] = useState('');
  const [proof, setProof] = useState<string>();
  const [fault, setFault] = useState('');
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const entered = proof ? { token: token.trim(), proof: proof.trim() } : { token: token.trim() };
    if (entered.token === '') return;
    if (!(await new Api(entered).refusesProof())) return onSignIn(entered);
    setFault(proof ? 'The proof does not match this token.' : 'This server requires an app secret proof.');
    setProof(proof ?? '');
  };
  const message = fault === '' ? notice : fault;
  return (
    <main class="sign-in">
      <form class="card" onSubmit={onSubmit}>
        <h1>Airlock</h1>
        <p>Sign in with an access token to see your broadcasts and their errors.</p>
        {message === '' ? null : (
          <p class="callout callout-fail" role="alert">
            {message}
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
              The HMAC-SHA256 of the token, keyed with the app secret. The operator of the server can create it:{' '}
              <code>printf %s TOKEN | openssl dgst -sha256 -hmac APP_SECRET</code>
            </p>
          </>
        )}
        <button type="submit" class="button button-main">
          Sign in
        </button>
        <details>
          <summary>Where do I get a token?</summary>
          <p>
            On the server, run <code>airlock token issue ID --scopes all</code>. With quickstart, it is{' '}
            <code>access_token</code> in <code>quickstart.json</code> in the data folder.
          </p>
          <p>The token is stored in this tab only, until the tab is closed.</p>
        </details>
      </form>
    </main>
  );
}
