/** `/docs/`: the HTTP interface, rendered from `/openapi.json`, with samples and forms that send requests. */
import 'swagger-ui-dist/swagger-ui.css';
import './reference.css';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { type Interface, withSamples } from './samples.js';

async function show(): Promise<void> {
  const answer = await fetch(new URL('../openapi.json', location.href));
  if (!answer.ok)
    throw new Error(`the interface could not be read (HTTP ${answer.status}); reload the page to try again`);
  const described: Interface = await answer.json();
  SwaggerUI({
    dom_id: '#reference',
    // The server that serves this page: requests to another host are against its content security policy.
    spec: { ...withSamples(described), servers: [{ url: new URL('..', location.href).href.replace(/\/$/, '') }] },
    deepLinking: true,
    docExpansion: 'list',
    filter: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    // Otherwise the vendor's server is asked about the document.
    validatorUrl: 'none',
  });
}

show().catch((error: unknown) => {
  const place = document.querySelector('#reference');
  if (place !== null) place.textContent = error instanceof Error ? error.message : String(error);
});
