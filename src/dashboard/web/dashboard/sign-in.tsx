import { type JSX, type SubmitEvent, useState } from 'react';
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
  const onSubmit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const entered = proof ? { token: token.trim(), proof: proof.trim() } : { token: token.trim() };
    if (entered.token === '') return;
    if (!(await new Api(entered).refusesProof())) return onSignIn(entered);
    setFault(proof ? 'The proof does not match this token.' : 'This server requires an app secret proof.');
    setProof(proof ?? '');
  };
  const message = fault === '' ? notice : fault;
  return (
    <main className="sign-in">
      <form className="card" onSubmit={onSubmit}>
        <h1>Airlock</h1>
        <p>Sign in with an access token to see your broadcasts and their errors.</p>
        {message === '' ? null : (
          <p className="callout callout-fail" role="alert">
            {message}
          </p>
        )}
        <label htmlFor="token">Access token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        {proof === undefined ? null : (
          <>
            <label htmlFor="proof">App secret proof</label>
            <input
              id="proof"
              type="password"
              autoComplete="off"
              spellCheck={false}
              required
              value={proof}
              onChange={(event) => setProof(event.currentTarget.value)}
            />
            <p>
              The HMAC-SHA256 of the token, keyed with the app secret. The operator of the server can create it:{' '}
              <code>printf %s TOKEN | openssl dgst -sha256 -hmac APP_SECRET</code>
            </p>
          </>
        )}
        <button type="submit" className="button button-main">
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
