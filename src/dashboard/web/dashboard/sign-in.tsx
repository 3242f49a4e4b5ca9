import { type JSX, type SubmitEvent, useState } from 'react';
import { Button } from '../ui/button.js';
import { Callout } from '../ui/callout.js';
import { FIELD, LABEL, LINK } from '../ui/classes.js';
import { Logo } from '../ui/logo.js';
import { ApiError, messageOf } from './client/api.js';
import { type SignedIn, signInByToken } from './client/session.js';

interface SignInProps {
  readonly notice: string;
  readonly onSignIn: (signedIn: SignedIn) => void;
  /** Absent: no one is signed in. */
  readonly onBack?: () => void;
}

/** The app secret proof is requested only after the server has rejected the token without one. */
export function SignIn({ notice, onSignIn, onBack }: SignInProps): JSX.Element {
  const [token, setToken] = useState('');
  const [proof, setProof] = useState<string>();
  const [fault, setFault] = useState('');
  const onSubmit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (token.trim() === '') return;
    try {
      onSignIn(await signInByToken(token.trim(), proof?.trim() || undefined));
    } catch (error) {
      const isProof = error instanceof ApiError && error.fault.status === 403 && error.message.includes('appsecret');
      if (!isProof) return setFault(messageOf(error));
      setFault(proof ? 'The proof does not match this token.' : 'This server requires an app secret proof.');
      setProof(proof ?? '');
    }
  };
  const message = fault === '' ? notice : fault;
  return (
    <main className="grid min-h-screen place-items-center p-5">
      <form
        className="flex w-full max-w-md flex-col gap-3 rounded-lg border border-line bg-card p-7"
        onSubmit={(event) => void onSubmit(event)}
      >
        <h1 className="flex items-center gap-2.5">
          <Logo size={32} /> Airlock
        </h1>
        <p>Sign in with an access token to see your broadcasts and their errors.</p>
        {message === '' ? null : (
          <Callout tone="fail" role="alert" className="mb-0">
            {message}
          </Callout>
        )}
        {onBack === undefined ? null : <Button onClick={onBack}>Stay signed in as before</Button>}
        <SecretField label="Access token" value={token} onChange={setToken} focus />
        {proof === undefined ? null : (
          <>
            <SecretField label="App secret proof" value={proof} onChange={setProof} />
            <p className="text-sm text-muted">
              The HMAC-SHA256 of the token, keyed with the app secret. The operator of the server can create it:{' '}
              <code className="font-mono">printf %s TOKEN | openssl dgst -sha256 -hmac APP_SECRET</code>
            </p>
          </>
        )}
        <Button type="submit" kind="main">
          Sign in
        </Button>
        <TokenHelp />
        <p className="text-sm text-muted">
          Without signing in:{' '}
          <a className={LINK} href="../check/">
            check a recording
          </a>{' '}
          in this browser, or read the{' '}
          <a className={LINK} href="../help/">
            documents
          </a>
          .
        </p>
      </form>
    </main>
  );
}

function TokenHelp(): JSX.Element {
  return (
    <details className="text-sm text-muted">
      <summary className="text-ink">Where do I get a token?</summary>
      <p className="mt-2">
        On the server, list the owners with <code className="font-mono">npx airlock owner list</code>, then run{' '}
        <code className="font-mono">npx airlock token issue OWNER-ID --scopes all</code>. With quickstart, the terminal
        shows a link that signs you in, and <code className="font-mono">quickstart.json</code> in the data folder holds
        an <code className="font-mono">access_token</code>.
      </p>
      <p className="mt-2">
        The token is not kept in this browser. It gets a cookie in its place, until you sign out, or for 12 hours after
        its last use.
      </p>
    </details>
  );
}

function SecretField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  focus?: boolean;
}): JSX.Element {
  const { label, value, onChange, focus = false } = props;
  return (
    <label className={LABEL}>
      {label}
      <input
        className={FIELD}
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        // biome-ignore lint/a11y/noAutofocus: the page has one purpose, and this field is it
        autoFocus={focus}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
