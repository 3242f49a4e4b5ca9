/** Puts the samples of the document where the renderer shows text: it does not know `x-codeSamples`. */
interface Operation {
  readonly description?: string;
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

export interface Interface {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export function withSamples<Document extends Interface>(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, operations]) => [path, ofPath(operations)] as const);
  return { ...document, paths: Object.fromEntries(paths) };
}

function ofPath(operations: Readonly<Record<string, Operation>>): Readonly<Record<string, Operation>> {
  return Object.fromEntries(
    Object.entries(operations).map(([method, { 'x-codeSamples': samples = [], ...operation }]) => {
      const blocks = samples.map(
        ({ label, lang, source }) => `${label}\n\`\`\`${lang.toLowerCase()}\n${source}\n\`\`\``,
      );
      const description = [operation.description ?? '', ...blocks].filter((part) => part !== '').join('\n\n');
      return [method, description === '' ? operation : { ...operation, description }] as const;
    }),
  );
}
