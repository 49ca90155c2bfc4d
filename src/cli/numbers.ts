import { type Command, InvalidArgumentError } from 'commander'

/** By the name of an option's value; whether a number is too large, the server says. */
const whole = /<(count|bytes|days|ms|sequence)>/
const any = /<number>/

/** Turns options into numbers. What is no number is a wrong call, and is refused before anything is opened or sent. */
export function parseNumbers(command: Command): void {
  for (const option of command.options) {
    const isWhole = whole.test(option.flags)
    if (!isWhole && !any.test(option.flags)) continue
    option.argParser(
      isWhole
        ? matching(/^-?\d{1,15}$/, 'A whole number is needed.')
        : matching(/^-?\d{1,15}(\.\d{1,15})?$/, 'A number is needed.'),
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
