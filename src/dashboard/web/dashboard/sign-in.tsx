import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

export function SignIn({ notice, onToken }: { notice: string; onToken: (token: string) => void }): JSX.Element {
  const [token, setToken] = useState('');
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const given = token.trim();
    if (given !== '') onToken(given);
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={onSubmit}>
        <h1>Airlock</h1>
        <p>Sign in with an access token to see your broadcasts and what they break.</p>
        {notice === '' ? null : (
          <p class="callout callout-fail" role="alert">
            {notice}
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
