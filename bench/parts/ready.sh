# What it costs an agent to find and take work in a project with 100,000 tasks and 200,000 dependencies, against one
# with 1,000 tasks and 2,000.

# work_store NAME TASKS: a store with one project in it; sets $project
work_store() {
    serve "$1" "sqlite:$tmp/$1.db"
    project=$("$load" once --target "$at" --path /api/projects --header "$json" --body '{"name":"Bench"}' |
        sed -n 's/.*"id":"\([0-9a-f-]*\)".*/\1/p' | head -n 1)
    [ -n "$project" ] || fail "cannot make a project"
    end "$pid"
    "$bin/ready" seed "$tmp/$1.db" "$project" "$2" || fail "cannot fill $1"
    serve "$1" "sqlite:$tmp/$1.db"
}

# turns TARGET PROJECT: finding, claiming and giving back, in turns per second
turns() {
    line=$("$bin/ready" work --target "$1" --project "$2" --connections 8 --warmup 0.5 --seconds "$seconds") ||
        fail "ready work: $line"
    echo "  work: $line" >&2
    field rps "$line"
}

work_store many $((100000 / scale))
many_pid=$pid many_at=$at many_project=$project
work_store few 1000
few_project=$project

ours='' limit='' ours_turns='' limit_turns=''
for round in $(seq "$rounds"); do
    limit="$limit $(figure get --target "$at" --path "/api/projects/$few_project/tasks/ready" --connections 8 \
        --warmup 0.3 --seconds "$seconds")"
    ours="$ours $(figure get --target "$many_at" --path "/api/projects/$many_project/tasks/ready" --connections 8 \
        --warmup 0.3 --seconds "$seconds")"
    limit_turns="$limit_turns $(turns "$at" "$few_project")"
    ours_turns="$ours_turns $(turns "$many_at" "$many_project")"
done
# shellcheck disable=SC2086
ours=$(median $ours) limit=$(median $limit)
row "cost of ready, 100,000 / 1,000 tasks" "$ours" "$limit" "$(ratio "$limit" "$ours")" '<=' 1.5
# shellcheck disable=SC2086
ours=$(median $ours_turns) limit=$(median $limit_turns)
row "cost of ready, claim and give back, the same" "$ours" "$limit" "$(ratio "$limit" "$ours")" '<=' 1.5
end "$pid"
end "$many_pid"
