/** `airlock completion bash|zsh|fish`: a script for the shell, made from the commands and options as they are. */
import { Argument, type Command } from 'commander';
import type { CliIo } from '../console/io.js';
import { bashScript, fishScript, zshScript } from './scripts.js';
import { commandTree } from './tree.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

const HELP = `
bash:  airlock completion bash > ~/.local/share/bash-completion/completions/airlock
zsh:   airlock completion zsh > "\${fpath[1]}/_airlock"
fish:  airlock completion fish > ~/.config/fish/completions/airlock.fish`;

export function addCompletion(program: Command, io: CliIo): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.stdout.write(SCRIPTS[shell](commandTree(program)));
    });
}
