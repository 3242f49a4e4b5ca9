/** `airlock spec` */
import { type Command, Option } from 'commander';
import { type CliIo, terminalOf } from '../console/io.js';
import { renderSpec, SPEC_FORMATS, type SpecFormat } from './render.js';

export function addSpec(program: Command, io: CliIo): void {
  program
    .command('spec')
    .description('print the specification and the error catalogue')
    .addOption(new Option('--format <FORMAT>', 'output format').choices(SPEC_FORMATS).default('text'))
    .addOption(new Option('--spec <FILE>', 'with the bounds of this JSON file over the published ones'))
    .action((options: { format: SpecFormat }) => {
      io.stdout.write(renderSpec(options.format, terminalOf(io).columns));
    });
}
