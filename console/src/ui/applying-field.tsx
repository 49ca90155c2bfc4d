import { useEffect, useState } from 'react'
import { TextField } from './field.tsx'

type ApplyingFieldProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onApply: (value: string | undefined) => void
  readonly type?: string
}

/** A text field that applies its value on Enter and on blur, not on every key. */
export function ApplyingField({ label, value, onApply, type = 'text' }: ApplyingFieldProps) {
  const [text, setText] = useState(value ?? '')
  // If another control clears the value, a blur must not set it again.
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
