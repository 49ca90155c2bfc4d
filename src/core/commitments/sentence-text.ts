import { germanMonths } from './languages/german.ts'

const dottedDay = new RegExp(`(\\d{1,2})\\.\\s+(?=(?:${germanMonths.join('|')})(?!\\p{L}))`, 'giu')

/** One kind of space, and dates without the dot that would end a sentence. */
export function normaliseText(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(dottedDay, '$1 ')
}
