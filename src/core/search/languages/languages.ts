import { english } from './english.ts'
import { german } from './german.ts'
import type { LanguageData } from './language-data.ts'
import { spanish } from './spanish.ts'

/** The languages of texts and queries. A further one is a file of data and a line here; then raise `termRules`. */
export const languageData: readonly LanguageData[] = [english, german, spanish]
