import type { Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A command by its words, and what can follow it: subcommands and options. */
type Completions = {
  readonly words: string
  readonly commands: readonly Command[]
  readonly options: readonly Option[]
}

/** A script that completes commands and options in a shell. It has all words in it, so that a completion starts no program. */
export function completionScript(program: Command, shell: Shell): string {
  const all = [...completionsOf(program, [])]
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](all)
}

function* completionsOf(command: Command, path: readonly string[]): Generator<Completions> {
  const commands = command.commands.filter((one) => one.name() !== 'help')
  yield { words: path.join(' '), commands, options: command.options }
  for (const one of commands) yield* completionsOf(one, [...path, one.name()])
}

/** The long options of a command and those of every command. */
const flagsOf = (options: readonly Option[]) => options.flatMap(({ long }) => (long ? [long] : []))

function wordList({ commands, options }: Completions, [root]: readonly Completions[]): string[] {
  return [
    ...commands.map((one) => one.name()),
    ...new Set([...flagsOf(options), ...flagsOf(root?.options ?? []), '--help']),
  ]
}

/** Shared by bash and zsh: the longest known command before the cursor, without options. */
function cases(all: readonly Completions[]): string {
  return all.map((one) => `    '${one.words}') words='${wordList(one, all).join(' ')}' ;;`).join('\n')
}

function bashScript(all: readonly Completions[]): string {
  return `# bash completion for colophon. Load it: source <(colophon completion bash)
_colophon_words() {
  local words=''
  case "$1" in
${cases(all)}
    *) return 1 ;;
  esac
  printf '%s' "$words"
}
_colophon() {
  local path='' word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    _colophon_words "$next" >/dev/null && path="$next"
  done
  COMPREPLY=($(compgen -W "$(_colophon_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _colophon colophon
`
}

function zshScript(all: readonly Completions[]): string {
  return `#compdef colophon
# zsh completion for colophon. Load it: source <(colophon completion zsh)
_colophon_words() {
  local words=''
  case "$1" in
${cases(all)}
    *) return 1 ;;
  esac
  printf '%s' "$words"
}
_colophon() {
  local path_words='' word next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${path_words:+$path_words }$word"
    _colophon_words "$next" >/dev/null && path_words="$next"
  done
  compadd -- \${(s: :)"$(_colophon_words "$path_words")"}
}
(( $+functions[compdef] )) && compdef _colophon colophon
`
}

function fishScript(all: readonly Completions[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = all.flatMap(({ words, commands, options }) => {
    const when = `-n ${quote(`__colophon_at ${words}`.trim())}`
    return [
      ...commands.map((one) => `complete -c colophon -f ${when} -a ${one.name()} -d ${quote(one.description())}`),
      ...options.flatMap(({ long, description }) =>
        long
          ? [`complete -c colophon ${words === '' ? '' : `${when} `}-l ${long.slice(2)} -d ${quote(description)}`]
          : [],
      ),
    ]
  })
  return `# fish completion for colophon. Load it: colophon completion fish | source
function __colophon_at
  set -l given (commandline -opc)[2..-1]
  set -l words
  for word in $given
    string match -q -- '-*' $word; or set -a words $word
  end
  test "$words" = "$argv"
end
${lines.join('\n')}
`
}
