import { type Command, InvalidArgumentError } from 'commander'

/** By the name of an option's value; whether a number is too large, the server says. */
const whole = /<(count|bytes|days|ms|sequence)>/
const any = /<number>/

/** What is no number where one belongs is a wrong call, and is refused before anything is opened or sent. */
export function checkNumbers(command: Command): void {
  for (const option of command.options) {
    if (whole.test(option.flags)) option.argParser(matching(/^-?\d{1,15}$/, 'A whole number is needed.'))
    if (any.test(option.flags)) option.argParser(matching(/^-?\d{1,15}(\.\d{1,15})?$/, 'A number is needed.'))
  }
  for (const child of command.commands) checkNumbers(child)
}

/** Stays text: commands hand it on as it was given. */
function matching(pattern: RegExp, message: string) {
  return (text: string): string => {
    if (!pattern.test(text)) throw new InvalidArgumentError(message)
    return text
  }
}
