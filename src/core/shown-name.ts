/** At most 40 letters: the longest name of a setting has 33. */
const plainWord = /^[A-Za-z_]{1,40}\d{0,2}$/

/** A member name for a message. A name that is not a plain word could be a secret, so it is shown as `*`. */
export function shownName(name: string): string {
  return plainWord.test(name) ? name : '*'
}
