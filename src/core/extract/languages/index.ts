import type { Language } from '../language.ts'
import { english } from './english/index.ts'
import { german } from './german/index.ts'

/** A new language is a folder beside these and a line here. */
export const languages: readonly Language[] = [english, german]
