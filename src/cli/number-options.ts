import { type Command, InvalidArgumentError } from 'commander'

/** Options are recognised by the name of their value. The server checks ranges. */
const whole = /<(count|bytes|days|ms|seconds|sequence)>/
const any = /<number>/

/** Parses number options. Anything else is a usage error, before a database is opened or a request is sent. */
export function parseNumbers(command: Command): void {
  for (const option of command.options) {
    const isWhole = whole.test(option.flags)
    if (!isWhole && !any.test(option.flags)) continue
    option.argParser(
      isWhole
        ? matching(/^-?\d{1,15}$/, 'Must be a whole number.')
        : matching(/^-?\d{1,15}(\.\d{1,15})?$/, 'Must be a number.'),
    )
    const { defaultValue } = option
    if (defaultValue !== undefined)
      command.setOptionValueWithSource(option.attributeName(), Number(defaultValue), 'default')
  }
  for (const child of command.commands) parseNumbers(child)
}

function matching(pattern: RegExp, message: string) {
  return (text: string): number => {
    if (!pattern.test(text)) throw new InvalidArgumentError(message)
    return Number(text)
  }
}
