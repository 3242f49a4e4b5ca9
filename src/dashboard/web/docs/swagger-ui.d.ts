/** The part of swagger-ui-dist that the page uses; the package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUI(options: {
    readonly dom_id: string;
    readonly spec: object;
    readonly deepLinking: boolean;
    readonly docExpansion: 'none' | 'list' | 'full';
    readonly filter: boolean;
    readonly defaultModelsExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly validatorUrl: 'none';
  }): unknown;
}
declare module 'swagger-ui-dist/swagger-ui.css';
