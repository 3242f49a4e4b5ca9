/** `/docs/`: the HTTP interface, made from `/openapi.json`, with samples and fields that send requests. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import '../ui/theme.css';
import { startTheme } from '../shared/theme.js';
import { ReferencePage } from './reference-page.js';

const RETRY_MS = 2_000;

startTheme();
const queries = new QueryClient({
  defaultOptions: { queries: { networkMode: 'always', retry: true, retryDelay: RETRY_MS } },
});
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <ReferencePage />
    </QueryClientProvider>,
  );
}
