// What can be wrong with a commitment: its event, its count, and what a fork does.
import { asArray } from '../harness.ts'
import { inAnswersTo, inDiscovery, member, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

const firePath = /\/v1\/host\/sample\/commitment\/fire$/
const listPath = /\/v1\/host\/colophon\/commitments\?/

const eventFaults = (['commitment-fired', 'commitment-fired-time'] as const).flatMap((scenario): NoticedFault[] => [
  ...(['commitmentId', 'memoryRef', 'condition'] as const).map((name) => ({
    name: `${scenario}: an event without its ${name}`,
    scenario,
    reason: new RegExp(`event\\.${name}`),
    fault: inAnswersTo(firePath, (body) => ({ ...body, event: without(name)(member(body.event)) })),
  })),
  {
    name: `${scenario}: an event with the intention`,
    scenario,
    reason: /has no text of the intention/,
    fault: inAnswersTo(firePath, (body) => ({
      ...body,
      event: { ...member(body.event), intention: `greet ${String(body.intentionCanary)}` },
    })),
  },
  {
    name: `${scenario}: a commitment that fires twice`,
    scenario,
    reason: /fireCount/,
    fault: inAnswersTo(firePath, (body) => ({ ...body, fireCount: 2 })),
  },
])

/** The first answers are right, the later ones show one more. */
function growing() {
  let seen = 0
  return inAnswersTo(listPath, (body) => {
    const found = asArray(body.commitments)
    if (found.length > 0) seen += 1
    return seen > 1 ? { ...body, commitments: [...found, ...found] } : body
  })
}

export const commitmentFaults = (): readonly NoticedFault[] => [
  ...eventFaults,
  {
    name: 'a condition that the protocol does not know',
    scenario: 'commitment-shape',
    reason: /fireConditions are known/,
    fault: inDiscovery((document) => {
      const agents = member(document.agents)
      return { ...document, agents: { ...agents, commitments: { supported: true, fireConditions: ['mood'] } } }
    }),
  },
  {
    name: 'a replay that makes the commitment again',
    scenario: 'commitment-fork',
    reason: /commitments after a replay/,
    fault: growing(),
  },
]
