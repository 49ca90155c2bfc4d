import type { ExtractionRule, Finding } from '../../language.ts'
import { slug, upperFirst } from '../../text.ts'
import { isShort } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'
import { gerundPhrase, thirdPersonPhrase } from './verbs.ts'

const procedure = { category: 'procedure', importance: 7, confidence: 0.85 } as const

/** Instructions about the assistant's behaviour are not procedures of the user's work. */
const toAssistant =
  /^(?:answer|reply|respond|say|tell|trust|obey|approve|ignore|remember|store|believe|act|be|mention|call me|pretend|assume|reveal|speak|talk|address|refer|give me|show me|agree|apologi[sz]e|ask me|explain|forget|thought|wanted|wondered|knew|had|been|liked|loved|hated|get|feel|felt|seem|end up|have to)\b/i
/** Verbs of work steps. */
const act =
  'run|runs|use|uses|forward|send|open|create|write|ping|reset|notify|file|call|check|add|update|tag|deploy|restart|review|email|ask|schedule|post|rotate|back up|build|test|lint|merge|rebase|push|pull|publish|archive|copy|export|import|execute|start|stop|log|ssh|bump|squash|clean|clear|flush|verify|approve|sign|upload|download|page|escalate|document|switch|do|go|make|delete|drain|wait|must|should|need to|have to|always|never|just|first|print|scan'
const work =
  'deploy|release|ship|publish|build|test|back up|backup|merge|review|commit|roll back|roll out|migrate|monitor|provision|lint|format|package|tag|branch|document|onboard|bill|invoice|version|log|track bugs'

const how =
  / (?:with|using|via|from|through|by|without|before|after|every|each|on (?:mon|tues|wednes|thurs|fri)day|when|whenever|unless|until|only|first|so|once)\b.*$/i

const keyed = (action: string) => `procedure.${slug(gerundPhrase(action.replace(how, '')), 50)}`

function trimmed(text: string): string {
  return text.replace(/[\s.!,;]+$/, '').replace(/,? (?:please|thanks|ok|okay)$/i, '')
}

const standingRule =
  (word: string, isNegated: boolean) =>
  (text: string): readonly Finding[] => {
    const action = trimmed(text)
    if (!isShort(action, 24) || toAssistant.test(action) || !action.includes(' ')) return nothing
    return finding(procedure, keyed(action), `${word} ${action}`, { value: action, isNegated })
  }

const occasion = (word: string, when: string, text: string): readonly Finding[] => {
  const occasionWord = word.toLowerCase().replace('whenever', 'when').replace('once', 'after')
  const event = when.replace(/^(?:I|we|you) /i, '').trim()
  if (!isShort(event, 8) || !isShort(trimmed(text), 24)) return nothing
  const content = `${upperFirst(occasionWord)} ${when.trim()}, ${trimmed(text).replace(/^(?:we|i|you) /i, '')}`
  return finding(procedure, `procedure.${occasionWord}-${slug(event, 50)}`, content, { value: trimmed(text) })
}

export const procedures: readonly ExtractionRule[] = [
  rule(
    /^(?:and |also |so |please |remember to |remember: |important: )*(?:make sure (?:to|you) |be sure to |we should |you should |you must |we must |we |we need to |you need to )?always (.+)$/i,
    standingRule('Always', false),
  ),
  rule(
    /^(?:I) always ((?:deploy|release|merge|commit|push|test|review|tag|squash|rebase|build|lint|publish|ship|run the|back up) .+)$/i,
    standingRule('Always', false),
  ),
  rule(
    /^(?:and |also |so |please |remember: |important: )*(?:we |you should |we should |I )?never ((?:push|merge|deploy|commit|release|edit|delete|force|touch|change|run|store|hard-?code|log|share|squash|rebase|skip|ship|publish|use|test|reboot|restart|work)\b.+)$/i,
    standingRule('Never', true),
  ),
  rule(
    new RegExp(
      `^(?:and |also |so )*to ((?:[\\w.-]+ ){0,5}?[\\w.-]+)(?:,|:)? (?:we |I |you |one )(?:usually |always |just |first |simply |can |have to |need to |must |should )*((?:${act})\\b.+)$`,
      'i',
    ),
    (aim, text) => toDo(aim, text),
  ),
  rule(
    new RegExp(`^to ((?:[\\w.-]+ ){0,5}?[\\w.-]+), (?:just |always |simply |first |please )*((?:${act})\\b.+)$`, 'i'),
    (aim, text) => toDo(aim, text),
  ),
  rule(
    new RegExp(
      `^(before|after|when|whenever|once) ([^,]{3,60}), (?:(?:we|I|you) (?:usually |always |just |then |first |need to |have to |must |should |also )*|always |please |then |just |first )?((?:${act})\\b.+)$`,
      'i',
    ),
    occasion,
  ),
  rule(
    new RegExp(
      `^(before|after|when|whenever|once) ([^,]{3,60}?),? (?:we|I|you) (?:usually |always |just |then |first |need to |have to |must |should |also )*((?:${act})\\b.+)$`,
      'i',
    ),
    occasion,
  ),
  rule(
    new RegExp(
      `^(?:I|we) (?:usually |always |only |mostly )*((?:${work})(?: [\\w.-]+){0,4}? (?:with|using|via|through|from|by|every|each|on (?:mon|tues|wednes|thurs|fri)days?)\\b.+)$`,
      'i',
    ),
    (action) => finding(procedure, keyed(action), thirdPersonPhrase(trimmed(action)), { value: trimmed(action) }),
  ),
  rule(
    /^our (deploys?|deployments?|releases?|backups?|builds?|tests?|migrations?|reviews?|invoices?|ci|pipeline|rollbacks?|hotfixes) ((?:go|goes|run|runs|are|is|happen|happens|use|uses|need|needs|get|gets|always|never)\b.+)$/i,
    (noun, text) => finding(procedure, `procedure.${slug(noun)}`, `${noun} ${trimmed(text)}`, { value: trimmed(text) }),
  ),
  rule(
    /^(?:every|each|all) (release|deploy|deployment|pr|pr's|pull request|commit|change|incident|merge|invoice|feature|bug|ticket|migration|hotfix|branch)s? ((?:needs?|must|has to|have to|requires?|gets?|should)\b.+)$/i,
    (noun, text) =>
      finding(procedure, `procedure.${slug(noun)}`, `Every ${noun} ${trimmed(text)}`, { value: trimmed(text) }),
  ),
]

function toDo(aim: string, text: string): readonly Finding[] {
  const what = trimmed(text)
  if (!isShort(what, 24) || /^(?:be|my|the|me|answer|clarify|sum)\b/i.test(aim)) return nothing
  return finding(procedure, keyed(aim), `To ${aim}, ${what}`, { value: what })
}
