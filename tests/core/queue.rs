use crate::support::{recipe, z_image_turbo};
use headroom::job::{Cancel, Job, Queue, Status};
use headroom::planner::{Device, Policy};
use std::sync::Arc;

fn job(queue: &mut Queue) -> Job {
    let model = z_image_turbo();
    let recipe = recipe(&model, 512, 512);
    Job {
        id: queue.next_id(),
        model_ref: "z-image-turbo".to_owned(),
        model: Arc::new(model),
        recipe,
        policy: Policy::new(Device::Cpu),
        force: false,
        resume: None,
        start: None,
    }
}

#[test]
fn jobs_run_one_at_a_time_in_their_order_and_the_front_goes_first() {
    let mut queue = Queue::default();
    let (a, b, c) = (job(&mut queue), job(&mut queue), job(&mut queue));
    let ids = (a.id, b.id, c.id);
    queue.push(a);
    queue.push(b);
    assert_eq!(queue.start_next().unwrap().id, ids.0);
    assert!(queue.start_next().is_none(), "one runs already");
    queue.push_front(c);
    queue.remove(ids.0);
    assert_eq!(queue.start_next().unwrap().id, ids.2);
    queue.remove(ids.2);
    assert_eq!(queue.start_next().unwrap().id, ids.1);
}

#[test]
fn a_held_job_lets_others_pass_and_comes_back_on_request() {
    let mut queue = Queue::default();
    let (a, b) = (job(&mut queue), job(&mut queue));
    let ids = (a.id, b.id);
    queue.push(a);
    queue.push(b);
    queue.start_next();
    queue.hold(ids.0);
    assert_eq!(queue.start_next().unwrap().id, ids.1);
    queue.remove(ids.1);
    assert!(queue.start_next().is_none());
    queue.retry(ids.0);
    assert_eq!(queue.start_next().unwrap().id, ids.0);
    assert_eq!(queue.iter().next().unwrap().status, Status::Running);
}

#[test]
fn cancelling_stops_what_runs_and_not_what_comes_after() {
    let cancel = Cancel::default();
    let before = cancel.token();
    assert!(!before.is_cancelled());
    cancel.cancel();
    assert!(before.is_cancelled());
    assert!(!cancel.token().is_cancelled());
}
