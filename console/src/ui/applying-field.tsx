import { useEffect, useState } from 'react'
import { TextField } from './field.tsx'

type ApplyingFieldProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onApply: (value: string | undefined) => void
  readonly type?: string
}

/** Takes effect on Enter and when it is left, not with every letter. */
export function ApplyingField({ label, value, onApply, type = 'text' }: ApplyingFieldProps) {
  const [text, setText] = useState(value ?? '')
  // What was taken back elsewhere must not come again when this is left.
  useEffect(() => setText(value ?? ''), [value])
  const apply = () => text.trim() !== (value ?? '') && onApply(text.trim() || undefined)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <TextField
        label={label}
        hideLabel
        type={type}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  )
}
