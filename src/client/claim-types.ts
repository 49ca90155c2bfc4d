import type * as host from '../wires/host/schemas/index.ts'
import type { Got, Sent } from './wire-type.ts'

/** The types of claims, of their timeline, and of authority rules. */

/** A claim: every content that sources stated for it, and which one is the winner. */
export interface Claim extends Got<typeof host.Claim> {}
/** One page of claims, in order of id. */
export interface ClaimPage extends Got<typeof host.ClaimPage> {}
/** Names that mean the same in the memories about a subject. */
export interface Aliases extends Got<typeof host.Aliases> {}
/** The timeline of which subject. */
export interface TimelineQuery extends Sent<typeof host.TimelineQuery> {}
/** What was current about a subject over time, by claim. */
export interface Timeline extends Got<typeof host.Timeline> {}
/** Which claims to list: a page, a subject, only contested ones. */
export interface ClaimQuery extends Sent<typeof host.ClaimQuery> {}
/** The authority rules of several writers. */
export interface AuthorityDraft extends Sent<typeof host.AuthorityDraft> {}
/** The writers with their new rules, and the job that decides their claims again. */
export interface AuthorityChanged extends Got<typeof host.AuthorityChanged> {}
/** The claims that other authority rules would decide for another winner. */
export interface RulesPreviewResult extends Got<typeof host.PreviewResult> {}
/** Which page of the contents of a claim. */
export interface ContentsQuery extends Sent<typeof host.ContentsQuery> {}
