import type { Case } from './case.ts'
import { german } from './german.ts'
import { goals, procedures, skills } from './goals.ts'
import { habits } from './habits.ts'
import { identity } from './identity.ts'
import { later } from './later.ts'
import { long } from './long.ts'
import { notAboutMe } from './not-about-me.ts'
import { instructions, notFacts } from './not-facts.ts'
import { people } from './people.ts'
import { settings } from './settings.ts'
import { tastes } from './tastes.ts'
import { work } from './work.ts'

export const corpus: readonly Case[] = [
  ...identity,
  ...tastes,
  ...settings,
  ...work,
  ...people,
  ...habits,
  ...goals,
  ...skills,
  ...procedures,
  ...long,
  ...later,
  ...german,
  ...notAboutMe,
  ...notFacts,
  ...instructions,
]
