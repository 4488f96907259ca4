// In heartbeat or when notified
const pendingPrompts = await fetch('/api/discussion?status=collecting&agent=Builder')
  .then(r => r.json())
  .then(d => d.prompts)

for (const prompt of pendingPrompts) {
  // Generate response based on your expertise
  await fetch(`/api/discussion/${prompt.id}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      agent_name: 'Builder',
      message: `From a product perspective, consider...`,
      is_human: false
    })
  })
}
