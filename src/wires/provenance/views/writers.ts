import type { z } from 'zod'
import { toInstant } from '../../../core/check.ts'
import type { AuthorityRules, Writer as StoredWriter } from '../../../core/provenance/writer.ts'
import type { AuthorityRulesDraft, Writer, WriterChange } from '../schemas/writers.ts'
import { toCamel, toSnake } from '../snake-case.ts'

export function toWriterView({ writerId, changes, ...writer }: StoredWriter): z.output<typeof Writer> {
  return {
    id: writerId,
    service_key: writer.serviceKey,
    display_name: writer.displayName,
    authority_rules: toSnake(writer.authorityRules),
    api_key_id: writer.apiKeyId,
    is_active: writer.isActive,
    created_at: toInstant(writer.createdAt),
    updated_at: toInstant(writer.updatedAt),
    rule_changes: changes.map(({ at, actor, ...rules }) => ({
      at: toInstant(at),
      actor,
      old: toSnake(rules.old),
      new: toSnake(rules.new),
    })),
  }
}

export function readRules({ default_priority, categories }: z.output<typeof AuthorityRulesDraft>): AuthorityRules {
  // JSON has no undefined, so every named category has a priority.
  return { defaultPriority: default_priority, categories: categories as AuthorityRules['categories'] }
}

export function readWriter<T extends z.output<typeof WriterChange>>({ authority_rules, ...change }: T) {
  return {
    ...toCamel(change),
    ...(authority_rules === undefined ? {} : { authorityRules: readRules(authority_rules) }),
  }
}
