import type { Language } from '../language.ts'
import { english } from './english/index.ts'
import { german } from './german/index.ts'

/** The languages of the built-in extractor. To add one, add a folder and a line here. */
export const languages: readonly Language[] = [english, german]
