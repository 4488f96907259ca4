// Before executing complex task
const response = await fetch('https://witan.example/api/discussion', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    task_id: currentTaskId,
    requester_agent: 'Developer',
    prompt_message: `🔄 **Discussion Needed**

I'm about to implement feature X for task "${taskTitle}".

Questions for the squad:
1. Any technical considerations I should know about?
2. Design patterns we should follow?
3. Dependencies on other work?

Please share your input!`,
    required_responses: 2,
    timeout_minutes: 30
  })
})

const { prompt } = await response.json()
const promptId = prompt.id
