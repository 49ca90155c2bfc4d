import type { ExtractionRule, Finding } from '../../language.ts'
import { isTool } from './lexicon.ts'
import { keyOf, listOf } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'

const tool = { category: 'fact', importance: 5 } as const

const purpose =
  / (?:for|at|to|in|as|on|with|instead|every|since|daily|weekly|all the time|from|via|through|because|quite|constantly|regularly|extensively)\b.*$/i

const usesTools =
  (verb: string, isNegated = false) =>
  (text: string): readonly Finding[] =>
    listOf(text).flatMap((item) => {
      const value = item.replace(purpose, '')
      const rest = item.slice(value.length)
      return isTool(value)
        ? finding(tool, `tool.${keyOf(value)}`, `${verb} ${value}${isNegated ? '' : rest}`, { value, isNegated })
        : nothing
    })

export const tools: readonly ExtractionRule[] = [
  rule(/^(?:I|we) (?:do not|no longer|never) (?:use|work with|rely on) (.+)$/i, usesTools('Does not use', true)),
  rule(
    /^(?:I|we) (?:have )?(?:stopped|quit|gave up|given up|got rid of|dropped|ditched|abandoned)(?: using)? (.+)$/i,
    usesTools('No longer uses', true),
  ),
  rule(
    /^(?:I|we) (?:have )?(?:just |recently )?(?:switched|moved|migrated|changed) (?:over )?(?:from .{2,30}? )?to (.+)$/i,
    usesTools('Switched to'),
  ),
  rule(
    /^(?:I|we) (?:have )?(?:always |usually |mostly |mainly |primarily )*(?:use|am using|are using|work with|am working with|are working with|build with|rely on|adopted|started using) (.+)$/i,
    usesTools('Uses'),
  ),
  rule(/^(?:our|my) (?:tech |current |whole )?stack (?:is|consists of|includes) (.+)$/i, usesTools('Uses')),
  rule(
    /^(?:our|my) (?:app|backend|frontend|website|api|service|services|code|codebase) (?:is (?:built|written) (?:with|in|on)|runs on|uses) (.+)$/i,
    usesTools('Uses'),
  ),
]
