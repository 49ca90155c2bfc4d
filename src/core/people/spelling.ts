/**
 * Ids of people are compared in Unicode NFC: `José` is one person, whether the letter é is one character or two. Ids are stored as they came,
 * and the first spelling of a person that is stored is the one that new memory gets.
 */

/** The form by which ids of people are compared. */
export function foldName(name: string): string {
  return name.normalize('NFC')
}

/** Other characters have one form in NFC, which is not one of these: U+212A is the letter K, U+037E a semicolon, U+1FEF a backtick. */
const plain = /^[\0-:<-JL-_a-\x7f]*$/

/** Whether an id may have another spelling. Those of most ids need not be looked up. */
export function hasOtherSpellings(name: string): boolean {
  return !plain.test(name)
}

const subjectPrefix = 'subject:'

/** The person that a ref is about; null for any other ref. */
export function personOfRef(memoryRef: string): string | null {
  return memoryRef.startsWith(subjectPrefix) ? memoryRef.slice(subjectPrefix.length) : null
}

/** The refs about a person, and those that the host derives of them. */
export const refOfPerson = /^(?:[a-z]+:)?subject:/

/** What a row names: a subject, and a ref that may be about a person. */
export type NamingRow = { readonly subject: string | null; readonly memoryRef?: string }

/** Whether a write names a person by an id that may have other spellings. */
export function namesSpelled({ subject, memoryRef = '' }: NamingRow): boolean {
  return hasOtherSpellings(subject ?? '') || hasOtherSpellings(personOfRef(memoryRef) ?? '')
}
