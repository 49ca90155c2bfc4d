/**
 * The commands of a script, without those that are only comments. A distributed database refuses several in one text. It knows comments, quotes and
 * `$tag$` quotes.
 */
export function splitCommands(script: string): string[] {
  const piece = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^;]/g
  const commands: string[] = []
  let command = ''
  let isBlank = true
  const finish = () => {
    if (!isBlank) commands.push(command.trim())
    command = ''
    isBlank = true
  }
  for (const [text] of script.matchAll(piece)) {
    if (text === ';') finish()
    else {
      command += text
      isBlank &&= /^(?:\s|--|\/\*)/.test(text)
    }
  }
  finish()
  return commands
}
